import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Meter as AriaMeter } from 'react-aria-components/Meter'
import styles from './overview.module.css'

interface Props {
  readonly name: string
  readonly used: number
  readonly limit: number
  readonly show: (value: number) => string
  readonly to?: '/mailboxes' | '/domains'
  readonly note?: ReactNode
}

/** The use of a limit of the plan. */
export function Meter({ name, used, limit, show, to, note }: Props) {
  const share = limit === 0 ? 1 : used / limit
  const look = share >= 1 ? styles.full : share >= 0.8 ? styles.nearly : ''
  return (
    <div className={`${styles.meter} ${look}`}>
      {to ? <Link to={to}>{name}</Link> : name}
      <span className={styles.value}>{show(used)}</span>
      <AriaMeter value={used} maxValue={limit} valueLabel={`${show(used)} of ${show(limit)}`} aria-label={name}>
        <div className={styles.track}>
          <div className={styles.fill} style={{ width: `${Math.min(100, share * 100)}%` }} />
        </div>
      </AriaMeter>
      <span className={styles.of}>
        of {show(limit)}
        {note}
      </span>
    </div>
  )
}
