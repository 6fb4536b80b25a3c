import { useState } from 'react'
import { ApiError } from '../../api/call.ts'
import { ActionDialog } from '../../parts/form/action-dialog.tsx'
import { TextInput } from '../../parts/form/text-input.tsx'
import { Status } from '../../parts/text/status.tsx'
import styles from './block.module.css'
import { type AnyBlock, blockRequests, blocksChanged } from './queries.ts'

/** The result of a line. */
interface Outcome {
  readonly pattern: string
  readonly is: 'good' | 'plain' | 'bad'
  readonly said: string
}

interface Props {
  /** Typed already. */
  readonly sender: string
  readonly own: boolean
  /** Senders that are blocked already. */
  readonly blocked: readonly AnyBlock[]
  readonly onClose: () => void
}

/** Blocks one sender, or several pasted ones, with a result for each. Refused lines stay in the field for correction. */
export function Block({ sender, own, blocked, onClose }: Props) {
  const [text, setText] = useState(sender)
  const [outcomes, setOutcomes] = useState<readonly Outcome[]>([])
  const patterns = [...new Set(text.split(/[\s,;]+/).filter((one) => one !== ''))]
  const [known] = useState(() => new Set(blocked.filter((one) => one.own === own).map(({ id }) => id)))
  const block = async () => {
    const refused: string[] = []
    const results: Outcome[] = []
    let done = 0
    try {
      for (const pattern of patterns) {
        const outcome = await blockOne(pattern, own, known)
        if (outcome.is === 'bad') refused.push(pattern)
        results.push(outcome)
        done++
      }
    } finally {
      setText([...refused, ...patterns.slice(done)].join('\n'))
      setOutcomes(results)
      await blocksChanged()
    }
    return patterns.length > 1 || refused.length > 0 ? 'stay' : undefined
  }
  const finished = text === '' && outcomes.length > 0
  return (
    <ActionDialog
      title={own ? 'Block senders for yourself' : 'Block senders'}
      action={finished ? 'Done' : patterns.length > 1 ? `Block ${patterns.length}` : 'Block'}
      telling={finished}
      ready={finished || patterns.length > 0}
      onSubmit={finished ? async () => {} : block}
      onClose={onClose}
    >
      {!finished && (
        <TextInput
          long
          name="pattern"
          label="Addresses or domains"
          value={text}
          onChange={setText}
          autoFocus
          placeholder={'spam@example.com\n@example.org'}
          hint="One a line. @example.org is everybody at that domain, without its subdomains."
        />
      )}
      <div role="status">
        {outcomes.length > 0 && (
          <ul aria-label="Results" className={styles.outcomes}>
            {outcomes.map(({ pattern, is, said }) => (
              <li key={pattern}>
                <code>{pattern}</code> <Status is={is}>{said}</Status>
              </li>
            ))}
          </ul>
        )}
      </div>
    </ActionDialog>
  )
}

/** @throws ApiError if no line could be blocked. */
async function blockOne(pattern: string, own: boolean, known: Set<string>): Promise<Outcome> {
  try {
    const { id, pattern: stored } = await blockRequests(own).block({ pattern })
    if (known.has(id)) return { pattern, is: 'plain', said: 'Was blocked already' }
    known.add(id)
    return { pattern, is: 'good', said: stored === pattern ? 'Blocked' : `Blocked as ${stored}` }
  } catch (error) {
    if (error instanceof ApiError && error.field === 'pattern') return { pattern, is: 'bad', said: error.message }
    throw error
  }
}
