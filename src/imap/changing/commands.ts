import type { Handler } from '../session/session.ts'
import { append, replace } from './append.ts'
import { copy, move } from './copy.ts'
import { close, expunge } from './expunge.ts'
import { store } from './store.ts'

/** The commands that change messages. */
export const changingCommands: Readonly<Record<string, Handler>> = {
  APPEND: append,
  CLOSE: close,
  COPY: copy,
  EXPUNGE: expunge,
  MOVE: move,
  REPLACE: replace,
  STORE: store,
  'UID COPY': copy,
  'UID EXPUNGE': expunge,
  'UID MOVE': move,
  'UID REPLACE': replace,
  'UID STORE': store,
}
