import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../parts/form/button.tsx'
import { Card } from '../../parts/page/card.tsx'
import { Section } from '../../parts/page/section.tsx'
import { Status } from '../../parts/text/status.tsx'
import { Time } from '../../parts/time/time.tsx'
import { sentence } from './run-counts.tsx'
import { type AnyRun, runsQuery } from './run-queries.ts'
import { RunShown } from './run-shown.tsx'
import styles from './runs.module.css'

/** The number of listed runs. */
const most = 5

const states = {
  running: { is: 'plain', text: 'Running' },
  done: { is: 'good', text: 'Done' },
  cancelled: { is: 'warn', text: 'Stopped' },
  failed: { is: 'bad', text: 'Failed' },
} as const

/** The latest runs on stored mail; nothing if there are none. */
export function Runs() {
  const all = useQuery(runsQuery).data ?? []
  const [shown, show] = useState<AnyRun>()
  const runs = all
    .filter(({ preview }) => !preview)
    .toSorted((one, other) => other.created_at.localeCompare(one.created_at))
    .slice(0, most)
  if (runs.length === 0) return null
  return (
    <Section title="On old mail" about="The last runs of filters. Each can be undone for 30 days.">
      <Card>
        <ul className={styles.runs} aria-label="Runs on old mail">
          {runs.map((run) => (
            <li key={run.id} className={styles.row}>
              <div>
                <div className={styles.name}>
                  {nameOf(run)} <Status is={states[run.state].is}>{states[run.state].text}</Status>
                </div>
                <div className={styles.soft}>
                  <Time at={run.created_at} />. {run.seen > 0 && sentence(run)}
                </div>
              </div>
              <Button look="quiet" aria-label={`Show ${nameOf(run)}`} onPress={() => show(run)}>
                Show
              </Button>
            </li>
          ))}
        </ul>
      </Card>
      {shown && (
        <RunShown
          title={`${nameOf(shown)} on old mail`}
          own={shown.own}
          id={shown.id}
          onClose={() => show(undefined)}
        />
      )}
    </Section>
  )
}

function nameOf({ filter_id, filters: [filter], own }: AnyRun): string {
  if (filter_id !== null && filter) return filter.name
  return own ? 'All of your own filters' : 'All filters'
}
