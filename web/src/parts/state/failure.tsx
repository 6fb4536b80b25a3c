import { ApiError } from '../../api/call.ts'
import { Button } from '../form/button.tsx'
import { Empty } from './empty.tsx'
import styles from './states.module.css'

export function Failure({ error, what, again }: { error: Error; what: string; again: () => void }) {
  if (error instanceof ApiError && error.status === 403)
    return (
      <Empty
        title={`You may not see ${what}`}
        about={`${error.message}.${error.fix === undefined ? '' : ` ${error.fix}.`}`}
      />
    )
  if (error instanceof ApiError && error.status === 404)
    return <Empty title={error.message} about="It was deleted or moved, or it is not yours to see." />
  const reference = error instanceof ApiError && error.requestId !== undefined && ` Request ${error.requestId}.`
  return (
    <div className={styles.state} role="alert">
      <h2>{error instanceof ApiError && error.isOffline ? 'You are offline' : `Loading ${what} failed`}</h2>
      <p className={styles.about}>
        {error.message}.{reference}
      </p>
      <Button onPress={again}>Try again</Button>
    </div>
  )
}
