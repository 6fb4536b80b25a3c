import type { Change, SyntaxNode } from './mutants.ts'

const operators: Readonly<Record<string, readonly string[]>> = {
  '<': ['<='],
  '<=': ['<'],
  '>': ['>='],
  '>=': ['>'],
  '===': ['!=='],
  '!==': ['==='],
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '%': ['*'],
  '&&': ['||'],
  '||': ['&&'],
  '+=': ['-='],
  '-=': ['+='],
}

/** Calls that can be left out of a chain. */
const links =
  /^(?:where|filter|orderBy|limit|forUpdate|skipLocked|trim|toLowerCase|toUpperCase|slice|sort|toSorted|reverse)$/

const opposites: Readonly<Record<string, string>> = { min: 'max', max: 'min', some: 'every', every: 'some' }

const comparisons: Readonly<Record<string, string>> = { '<': '<=', '<=': '<', '>': '>=', '>=': '>', '=': '!=' }

/** Calls whose first argument is the name of a table or column. */
const tables =
  /^(?:selectFrom|insertInto|updateTable|deleteFrom|\w+Join|select|returning|where|whereRef|orderBy|columns?|ownedBy)$/

/** Prose for people is not changed: a test of it would only say it again. */
const prose = /^[A-Z(].* |^[a-z]+ [a-z]+ /

/** What can be changed at a node of the syntax tree itself; its children are asked by themselves. */
export function scriptChanges(node: SyntaxNode, parent: SyntaxNode | undefined, text: string): Change[] {
  const source = (one: SyntaxNode) => text.slice(one.start, one.end)
  const into = (one: SyntaxNode, to: string, shown = one): Change => ({ start: one.start, end: one.end, to, shown })
  const child = (key: string) => node[key] as SyntaxNode
  switch (node.type) {
    case 'IfStatement':
    case 'ConditionalExpression':
      return ['true', 'false'].map((to) => into(child('test'), to, node.type === 'IfStatement' ? child('test') : node))
    case 'WhileStatement':
      return [into(child('test'), 'false')]
    case 'LogicalExpression':
    case 'BinaryExpression': {
      const [left, right, operator] = [child('left'), child('right'), node.operator as string]
      if (operator === '+' && [left, right].some(isText)) return []
      const swapped = (operators[operator] ?? []).map((to) => into(node, `${source(left)} ${to} ${source(right)}`))
      const alone = node.type === 'LogicalExpression' ? (operator === '??' ? [left] : [left, right]) : []
      return [...swapped, ...alone.map((side) => into(node, source(side)))]
    }
    case 'UnaryExpression':
      return node.operator === '!' ? [into(node, source(child('argument')))] : []
    case 'AssignmentExpression': {
      const to = operators[node.operator as string]?.[0]
      return to ? [into(node, `${source(child('left'))} ${to} ${source(child('right'))}`)] : []
    }
    case 'ExpressionStatement':
      return /^(?:Call|Await|Assignment|Update)/.test(child('expression').type) && !source(node).startsWith('super(')
        ? [into(node, ';')]
        : []
    case 'ThrowStatement':
      return [into(node, ';')]
    case 'CallExpression': {
      const callee = child('callee')
      if (callee.type !== 'MemberExpression') return []
      const [object, { name }] = [callee.object as SyntaxNode, callee.property as SyntaxNode & { name: string }]
      const other = opposites[name]
      const renamed = other ? [into(callee.property as SyntaxNode, other, node)] : []
      return links.test(name) ? [into(node, source(object)), ...renamed] : renamed
    }
    case 'TemplateLiteral':
      return parent?.type === 'TaggedTemplateExpression' || prose.test(source(node).slice(1)) ? [] : [into(node, '``')]
    case 'Literal':
      return literalChanges(node, parent).map((to) => into(node, to, parent ?? node))
    default:
      return []
  }
}

function literalChanges(node: SyntaxNode, parent: SyntaxNode | undefined): string[] {
  const { value, regex } = node as SyntaxNode & { value: unknown; regex?: { pattern: string; flags: string } }
  if (regex) {
    const { pattern, flags } = regex
    const others = [pattern.replace(/^\^/, ''), pattern.replace(/\$$/, ''), pattern.replace(/\{(\d+),\d+\}/, '{$1,}')]
    return others.filter((other) => other !== pattern && other !== '').map((other) => `/${other}/${flags}`)
  }
  if (typeof value === 'boolean') return [String(!value)]
  if (typeof value === 'number') return [String(value === 0 ? 1 : value === 1 ? 0 : value * 100)]
  if (typeof value !== 'string' || prose.test(value) || isName(node, parent)) return []
  return [`'${comparisons[value] ?? (value === '' ? 'mutant' : '')}'`]
}

/** A property's or a table's, or what something is compared with: without it nothing works, or it is as if negated. */
function isName(node: SyntaxNode, parent: SyntaxNode | undefined): boolean {
  if (parent?.type === 'BinaryExpression') return parent.operator !== '+'
  if (parent?.type === 'Property') return parent.key === node && !parent.computed
  if (parent?.type !== 'CallExpression') return false
  const callee = parent.callee as SyntaxNode & { name?: string; property?: { name?: string } }
  const first = (parent.arguments as SyntaxNode[])[0] === node
  return first && tables.test(callee.property?.name ?? callee.name ?? '')
}

function isText({ type, value }: SyntaxNode): boolean {
  return type === 'TemplateLiteral' || (type === 'Literal' && typeof value === 'string')
}
