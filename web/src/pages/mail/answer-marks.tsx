import { Icon } from '../../parts/icon.tsx'
import styles from './answer-marks.module.css'

interface Props {
  readonly answered: boolean
  readonly forwarded: boolean
}

/** Whether something was answered or forwarded. */
export function AnswerMarks({ answered, forwarded }: Props) {
  return (
    <>
      {answered && <Mark name="Answered" icon="reply" />}
      {forwarded && <Mark name="Forwarded" icon="forward" />}
    </>
  )
}

function Mark({ name, icon }: { readonly name: string; readonly icon: 'reply' | 'forward' }) {
  return (
    <span role="img" className={styles.mark} aria-label={name} title={name}>
      <Icon name={icon} />
    </span>
  )
}
