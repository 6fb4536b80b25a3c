import { useState } from 'react'
import { Button } from '../../../parts/form/button.tsx'
import { remotePictures } from '../html/remote-pictures.ts'
import styles from './open-message.module.css'

interface Props {
  /** Of the message. */
  readonly id: string
  /** The number of pictures that are not shown. */
  readonly count: number
  readonly addresses: readonly string[]
  readonly onFetched: (pictures: Map<string, string>) => void
}

type State = 'left out' | 'fetched' | { readonly done: number }

/** Says that remote pictures are not shown, and fetches them on request. */
export function LeftOut({ id, count, addresses, onFetched }: Props) {
  const [state, setState] = useState<State>('left out')
  async function fetchAll() {
    setState({ done: 0 })
    const found = await remotePictures(id, addresses, (done) => setState({ done }))
    onFetched(found)
    setState('fetched')
  }
  const pictures = count === 1 ? 'A picture' : `${count} pictures`
  if (typeof state === 'object')
    return (
      <p className={styles.note} role="status">
        Fetching pictures: {state.done} of {addresses.length}
      </p>
    )
  if (state === 'fetched')
    return (
      <p className={styles.note} role="status">
        {count > 0 && `${pictures} from elsewhere cannot be shown.`}
      </p>
    )
  if (count === 0) return null
  return (
    <div className={styles.leftOut}>
      <p className={styles.note}>
        {pictures} from elsewhere left out, so the sender does not learn that you read this.
      </p>
      {addresses.length > 0 && <Button onPress={() => void fetchAll()}>Show pictures</Button>}
    </div>
  )
}
