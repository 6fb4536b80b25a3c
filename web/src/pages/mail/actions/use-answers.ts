import type { Ready } from '../../../parts/actions/action.ts'
import { useActions } from '../../../parts/actions/use-actions.ts'
import type { Mode } from '../../write/beginning/answer.ts'
import { write } from '../../write/beginning/opening.ts'
import { useMayWrite } from '../../write/sending/use-may-write.ts'
import type { Place } from '../place.ts'
import { answerActions } from './table.ts'

/** Offers answers to a message; none where none can be written. */
export function useAnswers(place: Place, id: string | undefined): readonly Ready[] {
  const mayWrite = useMayWrite() && id !== undefined
  return useActions(answerActions, mayWrite ? (what: Mode) => write({ what, place, id }) : undefined)
}
