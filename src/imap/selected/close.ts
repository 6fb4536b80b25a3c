import type { Handler } from '../session/session.ts'
import { closeSelected } from './select.ts'

/** UNSELECT (RFC 9051, section 6.4.2): CLOSE without expunges. */
export const unselect: Handler = async (session, { args }) => {
  args.end()
  session.needSelected()
  closeSelected(session)
  return { text: 'Unselect completed' }
}

/** NOOP and CHECK (RFC 9051, section 6.1.2; RFC 3501, section 6.4.1): programs send them to learn what has changed. So the folder is looked at
 *  even if no change was announced: another process of ours announces its changes some milliseconds later. */
export const noop: Handler = async (session, { args, name }) => {
  args.end()
  const selected = name === 'CHECK' ? session.needSelected() : session.selected
  selected?.lookAgain()
  return { text: `${name === 'CHECK' ? 'Check' : 'Noop'} completed` }
}
