import styles from './chip.module.css'

/** A keyword that no label has. */
export function KeywordChip({ keyword }: { keyword: string }) {
  return (
    <span className={`${styles.chip} ${styles.keyword}`} title="A keyword without a label">
      {keyword}
    </span>
  )
}
