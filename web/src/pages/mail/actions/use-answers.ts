import { useCommands } from '../../../parts/keyboard/commands.ts'
import { useKeys } from '../../../parts/keyboard/keys.ts'
import type { Mode } from '../../write/beginning/answer.ts'
import { write } from '../../write/beginning/opening.ts'
import { useMayWrite } from '../../write/sending/use-may-write.ts'
import type { Place } from '../place.ts'

/** Answers to a message, also by keys and commands; undefined where none can be written. */
export function useAnswers(place: Place, id: string | undefined): ((what: Mode) => void) | undefined {
  const mayWrite = useMayWrite()
  const answer = mayWrite && id !== undefined ? (what: Mode) => write({ what, place, id }) : undefined
  useKeys(answer ? { r: () => answer('reply'), a: () => answer('reply_all'), f: () => answer('forward') } : {})
  useCommands(
    answer
      ? [
          { name: 'Reply', shortcut: 'r', run: () => answer('reply') },
          { name: 'Reply to all', shortcut: 'a', run: () => answer('reply_all') },
          { name: 'Forward', shortcut: 'f', run: () => answer('forward') },
        ]
      : [],
  )
  return answer
}
