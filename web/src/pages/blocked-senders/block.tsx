import { useRef, useState } from 'react'
import { ApiError } from '../../api/call.ts'
import { ActionDialog } from '../../parts/form/action-dialog.tsx'
import { Button } from '../../parts/form/button.tsx'
import { TextInput } from '../../parts/form/text-input.tsx'
import { count } from '../../parts/text/size.ts'
import { Status } from '../../parts/text/status.tsx'
import styles from './block.module.css'
import { type AnyBlock, blockRequests, blocksQuery } from './queries.ts'

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
  const [done, setDone] = useState<number>()
  const stopped = useRef<AbortController>(null)
  const block = async () => {
    const refused: string[] = []
    const results: Outcome[] = []
    stopped.current = new AbortController()
    const { signal } = stopped.current
    setDone(0)
    try {
      for (const pattern of patterns) {
        const outcome = await blockOne(pattern, { own, known, signal })
        if (outcome === undefined) break
        if (outcome.is === 'bad') refused.push(pattern)
        results.push(outcome)
        setDone(results.length)
      }
    } finally {
      setText([...refused, ...patterns.slice(results.length)].join('\n'))
      setOutcomes(results)
      setDone(undefined)
    }
    return patterns.length > 1 || refused.length > 0 ? 'stay' : undefined
  }
  const finished = text === '' && outcomes.length > 0
  return (
    <ActionDialog
      title={own ? 'Block senders for yourself' : 'Block senders'}
      action={finished ? 'Done' : patterns.length > 1 ? `Block ${patterns.length}` : 'Block'}
      informs={finished}
      ready={finished || patterns.length > 0}
      changes={[blocksQuery.queryKey]}
      onSubmit={async () => (finished ? undefined : block())}
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
      {done !== undefined && patterns.length > 1 && (
        <div className={styles.progress}>
          <progress value={done} max={patterns.length} aria-label="Blocked so far" />
          {count(done)} of {count(patterns.length)}
          <Button onPress={() => stopped.current?.abort()}>Stop</Button>
        </div>
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

interface Blocking {
  readonly own: boolean
  /** The ids of those that are blocked. */
  readonly known: Set<string>
  readonly signal: AbortSignal
}

/** Answers undefined if it is stopped. Waits if the rate is exceeded. @throws ApiError if no line can be blocked */
async function blockOne(pattern: string, { own, known, signal }: Blocking): Promise<Outcome | undefined> {
  while (!signal.aborted) {
    try {
      const { id, pattern: stored } = await blockRequests(own).block({ pattern })
      if (known.has(id)) return { pattern, is: 'plain', said: 'Was blocked already' }
      known.add(id)
      return { pattern, is: 'good', said: stored === pattern ? 'Blocked' : `Blocked as ${stored}` }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      if (error.field === 'pattern') return { pattern, is: 'bad', said: error.message }
      if (error.status !== 429) throw error
      await pause(error.retryAfter ?? 1, signal)
    }
  }
  return undefined
}

/** Ends early at a stop. */
function pause(seconds: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, seconds * 1_000)
  signal.addEventListener('abort', () => {
    clearTimeout(timer)
    resolve()
  })
  return promise
}
