import type { Filter } from '../../api/generated.ts'
import { folderName } from '../../parts/text/folder-name.ts'
import { LabelChip } from '../../parts/text/label-chip.tsx'

type Rule = Pick<Filter, 'field' | 'op' | 'value' | 'action' | 'argument'>

const fields = { from: 'the sender', to: 'a recipient', subject: 'the subject' } as const

/** A filter as a sentence. */
export function RuleText({ rule, labels }: { rule: Rule; labels: readonly LabelLike[] }) {
  return (
    <>
      If {fields[rule.field]} {rule.op} <q>{rule.value}</q>, <Act rule={rule} labels={labels} />
    </>
  )
}

interface LabelLike {
  readonly name: string
  readonly keyword: string
  readonly colour: string
  readonly own: boolean
}

function Act({ rule: { action, argument }, labels }: { rule: Rule; labels: readonly LabelLike[] }) {
  if (action === 'star') return 'star it'
  if (action === 'read') return 'mark it read'
  if (action === 'move') return <>move it to {folderName(argument ?? '')}</>
  const label = labels.find(({ keyword }) => keyword === argument)
  return label ? (
    <>
      label it <LabelChip {...label} />
    </>
  ) : (
    <>
      label it <code>{argument}</code>
    </>
  )
}
