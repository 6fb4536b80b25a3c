import { actionIn, type Entry, entriesOf } from '#/base/audit/queries.ts'
import { invalid } from '#/base/errors.ts'
import { organizationOption } from '#/people/organizations/register.ts'
import { command } from '../command.ts'
import { minute, table } from '../table.ts'

/** The longest list. */
const most = 1_000

export const auditCommand = command({
  name: 'audit',
  summary: 'Show who changed which settings, newest first',
  operands: [],
  options: {
    org: { value: 'NAME', help: 'The organization; without it, changes of the installation' },
    since: { value: 'TIME', help: 'Only entries after this time: 2026-11-01, or 2026-11-01T08:30:00Z' },
    action: { value: 'ACTION', help: 'Only this action, label.created, or all actions of an item, label' },
    actor: { value: 'WHO', help: 'Only key, operator, member or service; an id; or what a name begins with' },
    limit: { value: 'N', help: `The number of entries, 100 by default, at most ${most}` },
    before: { value: 'ID', help: 'Only entries before this id: that of the last entry of the page before' },
  },
  run: async ({ database: { db } }, { org, since, action, actor, limit = '100', before }) => {
    const organizationId = (await organizationOption(db, org)) ?? null
    const wanted = {
      action: action === undefined ? undefined : actionIn(action),
      actor,
      since: since === undefined ? undefined : timeIn(since),
      before: before === undefined ? undefined : countIn('before', before, Number.MAX_SAFE_INTEGER),
    }
    const data = await entriesOf(db, organizationId, wanted, countIn('limit', limit, most))
    const headings = ['TIME', 'WHO', 'FROM', 'ACTION', 'ITEM', 'CHANGE', 'ID']
    return { value: { data }, text: table(headings, data.map(row), 'No entries.') }
  },
})

function row({ id, at, actor, action, item, before, after }: Entry): string[] {
  const who = actor.name === '' ? actor.kind : actor.name
  return [minute(at), who, actor.address ?? '-', action, item.name, changeShown(before, after), String(id)]
}

/** What differs, as `colour: "red" → "blue"`. */
function changeShown(before: Entry['before'], after: Entry['after']): string {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].sort()
  const texts = names.flatMap((name) => {
    const [was, is] = [before?.[name], after?.[name]].map((value) => JSON.stringify(value))
    if (was === is) return []
    return was === undefined ? `${name}: ${is}` : `${name}: ${was} → ${is ?? '-'}`
  })
  return texts.join(', ') || '-'
}

function timeIn(given: string): Date {
  const time = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/.test(given)
    ? new Date(given)
    : undefined
  if (time && !Number.isNaN(time.getTime())) return time
  throw invalid('since', `--since takes a day or a time with its zone, not "${given}"`)
}

function countIn(option: string, given: string, most: number): number {
  const count = Number(given)
  if (/^\d{1,16}$/.test(given) && count >= 1 && count <= most) return count
  throw invalid(option, `--${option} takes a whole number from 1 to ${most}, not "${given}"`)
}
