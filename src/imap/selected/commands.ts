import type { Handler } from '../session/session.ts'
import { noop, unselect } from './close.ts'
import { examine, select } from './select.ts'

export const selectedCommands: Readonly<Record<string, Handler>> = {
  SELECT: select,
  EXAMINE: examine,
  UNSELECT: unselect,
  NOOP: noop,
  CHECK: noop,
}
