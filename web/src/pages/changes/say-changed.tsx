import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { type Change, getChange } from '../../api/generated.ts'
import { mutate } from '../../app/query-client.ts'
import { sayFailure, toasts } from '../../parts/state/toasts.ts'
import { count } from '../../parts/text/size.ts'
import { someMessages } from '../../parts/text/some-messages.ts'
import { changeQuery } from './queries.ts'
import { sayUndone, undo, undoable } from './undo.ts'

/** A change in words. */
interface Texts {
  /** While it runs: "Removing receipts". */
  readonly doing: string
  /** Of so many messages. */
  readonly done: (messages: string) => string
}

type State = Pick<Change, 'id' | 'state' | 'messages'> & Partial<Pick<Change, 'error'>>

/** Says that a change was made, and offers to undo it. While it runs, shows how far it is. Null if there was nothing to change. */
export async function sayChanged(id: string | null, texts: Texts): Promise<void> {
  if (id === null) return sayDone({ id: '', state: 'done', messages: 0 }, texts)
  try {
    const change = await getChange(id)
    if (change.state !== 'running') return sayDone(change, texts)
    const key = toasts.add({
      text: texts.doing,
      detail: (
        <Progress
          id={id}
          onDone={(ended) => {
            toasts.close(key)
            sayDone(ended, texts)
          }}
        />
      ),
    })
  } catch (error) {
    sayFailure(error)
  }
}

function sayDone({ id, state, error, messages: many }: State, { done }: Texts): void {
  const action = { name: 'Undo', run: () => void mutate({ mutationFn: undo, onSuccess: sayUndone }, [id]) }
  const text = done(someMessages(many))
  toasts.add(
    {
      text: state === 'failed' ? `${text}, then it ended early: ${error ?? 'the log of the server says why'}` : text,
      ...(many > 0 && { action }),
    },
    { timeout: undoable },
  )
}

function Progress({ id, onDone }: { id: string; onDone: (change: State) => void }) {
  const { data } = useQuery({ ...changeQuery(id), refetchInterval: 1_000 })
  const ended = data !== undefined && data.state !== 'running'
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is said once
  useEffect(() => {
    if (ended) onDone(data)
  }, [ended])
  return <p>{count(data?.messages ?? 0)} messages so far</p>
}
