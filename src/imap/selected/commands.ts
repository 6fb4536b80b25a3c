import type { Handler } from '../session/session.ts'
import { noop, unselect } from './close.ts'
import { idle } from './idle.ts'
import { notify } from './notify/notify.ts'
import { examine, select } from './select.ts'

export const selectedCommands: Readonly<Record<string, Handler>> = {
  SELECT: select,
  EXAMINE: examine,
  UNSELECT: unselect,
  NOOP: noop,
  IDLE: idle,
  NOTIFY: notify,
  CHECK: noop,
}
