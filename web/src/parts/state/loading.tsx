import styles from './states.module.css'

/** In place of what is being loaded: "labels". */
export function Loading({ what }: { what: string }) {
  return (
    <div className={styles.bars} role="status" aria-label={`Loading ${what}`}>
      <div className={styles.bar} />
      <div className={styles.bar} />
      <div className={styles.bar} />
    </div>
  )
}
