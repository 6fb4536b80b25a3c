import { useState } from 'react'
import { getDraft } from '../../../api/generated.ts'
import { Button } from '../../../parts/form/button.tsx'
import { writingOf } from '../beginning/written-draft.ts'
import styles from '../composer.module.css'
import { current, replace } from '../open-message.ts'
import type { Writing } from '../writing.ts'
import { noLongerSaved } from './save.ts'

/** Lets the member decide after the draft was changed elsewhere. Nothing is overwritten. */
export function Conflict({ writing }: { writing: Writing }) {
  const [problem, setProblem] = useState<string>()
  const keepBoth = () => {
    noLongerSaved(writing.key)
    const latest = current()
    if (latest) replace({ ...latest, draft: undefined, isSaved: false })
  }
  const takeOther = async () => {
    if (!writing.draft) return
    const other = await writingOf(await getDraft(writing.draft.id), [writing.from])
    replace({ ...other, key: crypto.randomUUID() })
  }
  return (
    <div role="alert" className={styles.fault}>
      <p>This draft was changed elsewhere meanwhile. Nothing was overwritten.</p>
      <Button onPress={keepBoth}>Keep both</Button>{' '}
      <Button onPress={() => void takeOther().catch((error: Error) => setProblem(error.message))}>
        Take the other
      </Button>
      {problem !== undefined && <p>{problem}</p>}
    </div>
  )
}
