import { createHash } from 'node:crypto'
import { parseSync } from 'oxc-parser'
import { scriptChanges } from './script-changes.ts'
import { sqlChanges } from './sql-changes.ts'

/** Of the ESTree that the parser gives. */
export interface SyntaxNode {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

interface Span {
  readonly start: number
  readonly end: number
}

/** A small change of a source text, and the part of the text that shows what it means. */
export interface Change extends Span {
  readonly to: string
  readonly shown: Span
}

/** A change in a file. What names it says nothing of lines: it stays the same when the code around it changes. */
export interface Mutant extends Change {
  readonly id: string
  readonly file: string
  /** The function that it is in, with its class; empty for what a file says outside all. */
  readonly function: string
  readonly before: string
  readonly after: string
  /** The same change can be possible more than once in a function. */
  readonly nth: number
}

/** Types are erased before anything runs. */
const untouched = new Set(['typeAnnotation', 'returnType', 'typeParameters', 'typeArguments', 'superTypeArguments'])
const described = /^(?:description|title|summary|examples?|message|fix)$/

/** All mutants of a file, each with a random-looking `id`: sorting by it shuffles them. */
export function mutantsOf(file: string, text: string): Mutant[] {
  const seen = new Map<string, number>()
  const mutants = changesIn(parsed(file, text), text).flatMap(({ change, inside }) => {
    const { start, end, to, shown } = change
    const before = oneLine(text.slice(shown.start, shown.end))
    const after = oneLine(text.slice(shown.start, start) + to + text.slice(end, shown.end))
    if (before === after) return []
    const name = [file, inside, before, after].join('\n')
    const nth = (seen.get(name) ?? 0) + 1
    seen.set(name, nth)
    return [{ ...change, id: hash(`${name}\n${nth}`), file, function: inside, before, after, nth }]
  })
  return mutants.filter((mutant) => parseSync(file, mutated(text, mutant)).errors.length === 0)
}

export function mutated(text: string, { start, end, to }: Change): string {
  return text.slice(0, start) + to + text.slice(end)
}

function parsed(file: string, text: string): SyntaxNode {
  const { program, errors } = parseSync(file, text)
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]?.message}`)
  return program as unknown as SyntaxNode
}

interface Found {
  readonly change: Change
  readonly inside: string
}

function changesIn(node: SyntaxNode, text: string, parent?: SyntaxNode, inside = ''): Found[] {
  if (/^(?:Import|ExportAll|TS(?!As|NonNull|Satisfies))/.test(node.type) || isForPeople(node)) return []
  const within = nameOf(node, inside)
  const own = isSql(node, parent, text)
    ? sqlChanges(text.slice(node.start + 1, node.end - 1), node.start + 1)
    : scriptChanges(node, parent, text)
  const children = Object.entries(node).flatMap(([key, value]) => {
    if (untouched.has(key) || (key === 'source' && node.type.startsWith('Export'))) return []
    return (Array.isArray(value) ? value : [value]).filter(isNode)
  })
  return [
    ...own.map((change) => ({ change, inside: within })),
    ...children.flatMap((child) => changesIn(child, text, node, within)),
  ]
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value
}

/** Descriptions and examples in schemas. */
function isForPeople(node: SyntaxNode): boolean {
  const { type, key, id } = node as SyntaxNode & Record<'key' | 'id', { name?: string } | null>
  return type === 'Property' ? described.test(key?.name ?? '') : /example/i.test(id?.name ?? '')
}

/** Text after `sql`, or that begins as SQL does. */
function isSql(node: SyntaxNode, parent: SyntaxNode | undefined, text: string): boolean {
  if (node.type !== 'TemplateLiteral') return false
  if (parent?.type === 'TaggedTemplateExpression') return /^sql\b/.test(text.slice(parent.start, node.start))
  return /^`\s*\(?\s*(?:select|insert|update|delete|with|exists|case) /.test(text.slice(node.start, node.start + 40))
}

function nameOf(node: SyntaxNode, inside: string): string {
  const { type, id, key, init, value } = node as SyntaxNode & Record<string, SyntaxNode & { name?: string }>
  const named = /^(?:FunctionDeclaration|ClassDeclaration)$/.test(type)
    ? id
    : /^(?:MethodDefinition|PropertyDefinition)$/.test(type)
      ? key
      : type === 'VariableDeclarator' && (inside === '' || /Function/.test(init?.type ?? ''))
        ? id
        : type === 'Property' && /Function/.test(value?.type ?? '')
          ? key
          : undefined
  return named?.name ? [inside, named.name].filter(Boolean).join('.') : inside
}

/** In a pseudo-random order that a seed fixes. */
export function shuffled(mutants: readonly Mutant[], seed: string): Mutant[] {
  return mutants
    .map((mutant) => ({ mutant, at: hash(seed + mutant.id) }))
    .toSorted((a, b) => (a.at < b.at ? -1 : 1))
    .map(({ mutant }) => mutant)
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12)
}
