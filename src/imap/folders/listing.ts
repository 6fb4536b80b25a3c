import type { Selection } from './list-command.ts'
import { imapName } from './names.ts'
import { type Matches, matcherOf } from './pattern.ts'
import { type Node, parentsOf } from './tree.ts'

/** A name that LIST shows. */
export interface Listed {
  readonly node: Node
  readonly attributes: readonly string[]
  /** Some within it are selected (RFC 5258, section 3.5). */
  readonly childInfo: readonly string[]
}

/** RFC 6154. No folder can have another use than its name says. */
const uses: Readonly<Record<string, string>> = {
  sent: '\\Sent',
  drafts: '\\Drafts',
  archive: '\\Archive',
  junk: '\\Junk',
  trash: '\\Trash',
}

function specialUseOf(folder: string): string | undefined {
  return Object.hasOwn(uses, folder) ? uses[folder] : undefined
}

/** The special use of a name, which a shared mailbox has too. */
function useOf({ folder }: Node): string | undefined {
  return folder && specialUseOf(folder.name)
}

/** Those of the names that LIST shows, in their order. */
export function* listed(
  tree: ReadonlyMap<string, Node>,
  {
    selection,
    patterns,
    saysSubscribed,
  }: { selection: Selection; patterns: readonly string[]; saysSubscribed: boolean },
): Generator<Listed | undefined> {
  const matchers = patterns.map((pattern) => matcherOf(withInbox(pattern)))
  const parents = new Set([...tree.keys()].flatMap(parentsOf))
  const above = selection.recursive ? selectedAbove(tree, selection, matchers) : undefined
  for (const node of tree.values()) {
    // So that whoever lists lets others work between two names.
    yield undefined
    if (!matchers.some((matches) => matches(node.name))) continue
    const within = above?.get(node.name)
    if (!isSelected(node, selection) && within !== 'hidden') continue
    const attributes = attributesOf(node, { hasChildren: parents.has(node.name), saysSubscribed })
    yield { node, attributes, childInfo: within ? criteria(selection) : [] }
  }
}

/** `inbox` in any case names INBOX. */
function withInbox(pattern: string): string {
  return pattern.toUpperCase() === 'INBOX' ? 'INBOX' : pattern
}

function isSelected({ folder, ...node }: Node, { subscribed, specialUse }: Selection): boolean {
  if (subscribed && !folder?.isSubscribed) return false
  return !specialUse || useOf({ folder, ...node }) !== undefined
}

/** Names with selected ones within them; `hidden` if one of those is not shown itself, since no pattern matches it. */
function selectedAbove(
  tree: ReadonlyMap<string, Node>,
  selection: Selection,
  matchers: readonly Matches[],
): Map<string, 'hidden' | 'shown'> {
  const above = new Map<string, 'hidden' | 'shown'>()
  for (const node of tree.values()) {
    if (!isSelected(node, selection)) continue
    const isShown = matchers.some((matches) => matches(node.name))
    for (const parent of parentsOf(node.name))
      if (!isShown || !above.has(parent)) above.set(parent, isShown ? 'shown' : 'hidden')
  }
  return above
}

function criteria({ subscribed, specialUse }: Selection): string[] {
  return [...(subscribed ? ['SUBSCRIBED'] : []), ...(specialUse ? ['SPECIAL-USE'] : [])]
}

function attributesOf(node: Node, { hasChildren, saysSubscribed }: { hasChildren: boolean; saysSubscribed: boolean }) {
  const { folder } = node
  const use = useOf(node)
  return [
    ...(folder ? [] : ['\\NonExistent', '\\Noselect']),
    hasChildren ? '\\HasChildren' : '\\HasNoChildren',
    ...(saysSubscribed && folder?.isSubscribed ? ['\\Subscribed'] : []),
    ...(use ? [use] : []),
  ]
}

/** The names that LSUB shows (RFC 3501, section 6.3.9): subscribed ones, and `\Noselect` those above them that a `%` ends at. */
export function lsubbed(tree: ReadonlyMap<string, Node>, pattern: string): { name: string; isSubscribed: boolean }[] {
  const matches = matcherOf(withInbox(pattern))
  const subscribed = [...tree.values()].filter(({ folder }) => folder?.isSubscribed)
  const above = pattern.endsWith('%') ? new Set(subscribed.flatMap(({ name }) => parentsOf(name))) : new Set<string>()
  return [...tree.values()]
    .filter(({ name, folder }) => (folder?.isSubscribed || above.has(name)) && matches(name))
    .map(({ name, folder }) => ({ name, isSubscribed: folder?.isSubscribed ?? false }))
}

/** The use that CREATE asks for, if that folder has it. */
export function hasUse(folder: string, use: string): boolean {
  return specialUseOf(folder)?.toLowerCase() === use.toLowerCase()
}

/** The name of the folder that has a use already. */
export function folderWithUse(use: string): string | undefined {
  const found = Object.entries(uses).find(([, other]) => other.toLowerCase() === use.toLowerCase())
  return found && imapName(found[0])
}
