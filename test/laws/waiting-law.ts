import { parseSync } from 'oxc-parser'

interface Node {
  readonly type: string
  readonly start: number
  readonly [field: string]: unknown
}

const loops = new Set(['WhileStatement', 'DoWhileStatement', 'ForStatement'])
const hooks = new Set(['test', 'suite', 'describe', 'it', 'before', 'after', 'beforeEach', 'afterEach'])
const ofPlaywright = new Set(['waitForTimeout', 'waitForFunction', 'toPass', 'poll'])
const clocks = new Set(['cpuUsage', 'threadCpuUsage', 'hrtime'])

/** Breaches of the law that a test waits for signals, each as what it does: it neither sleeps nor polls, and no time bounds it. */
export function waitingBreaches(path: string, text: string): string[] {
  const found = new Set<string>()
  const turns = new Set<string>()
  const visit = (node: Node) => {
    for (const breach of breachesAt(node, turns)) found.add(breach)
    for (const child of childrenOf(node)) visit(child)
  }
  visit(parseSync(path, text).program as unknown as Node)
  return [...found]
}

function breachesAt(node: Node, turns: Set<string>): string[] {
  if (node.type === 'ImportDeclaration') return imported(node, turns)
  if (node.type === 'CallExpression') return called(node)
  if (loops.has(node.type) && polls(node, turns)) return ['polls']
  if ((node.type === 'Literal' || node.type === 'TemplateElement') && textOf(node).includes('pg_sleep('))
    return ['sleeps']
  return []
}

/** `setImmediate` gives others one turn, which is a pause where it stands in a loop by itself. */
function imported(node: Node, turns: Set<string>): string[] {
  if (!/^(?:node:)?timers\/promises$/.test(String((node.source as Node).value))) return []
  return (node.specifiers as Node[]).flatMap(({ imported, local }) => {
    const name = (imported as Node | undefined)?.name
    if (name !== 'setImmediate') return ['sleeps']
    turns.add(String((local as Node).name))
    return []
  })
}

function called({ callee, arguments: given }: Node): string[] {
  const { type, name, object, property } = callee as Node
  if (type === 'Identifier') {
    if (name === 'setTimeout' || name === 'setInterval') return ['has a timer']
    const isBounded = hooks.has(String(name)) && (given as Node[]).some(hasTimeout)
    return isBounded ? ['bounds seconds'] : []
  }
  const [of, what] = [(object as Node | undefined)?.name, String((property as Node | undefined)?.name)]
  if (of === 'AbortSignal' && what === 'timeout') return ['bounds seconds']
  if (of === 'process' && clocks.has(what)) return ['measures processor time']
  return ofPlaywright.has(what) ? ['polls'] : []
}

function hasTimeout({ type, properties }: Node): boolean {
  return (
    type === 'ObjectExpression' &&
    (properties as Node[]).some(({ key }) => (key as Node | undefined)?.name === 'timeout')
  )
}

/** Whether it asks again and again: nothing is awaited in it but a pause, or its condition alone. */
function polls({ test, body }: Node, turns: ReadonlySet<string>): boolean {
  const asks = test !== null && awaited(test as Node).some(({ type }) => type === 'CallExpression')
  const within = awaited(body as Node)
  const pauses = within.filter((one) => isTurn(one, turns)).length
  const isAlone = statementsOf(body as Node).length === 1
  return (asks && pauses === within.length) || (isAlone && within.length > 0 && pauses === within.length)
}

function statementsOf(node: Node): Node[] {
  return node.type === 'BlockStatement' ? (node.body as Node[]) : [node]
}

function isTurn({ type, callee, arguments: given }: Node, turns: ReadonlySet<string>): boolean {
  if (type === 'CallExpression') return turns.has(String((callee as Node).name))
  return type === 'NewExpression' && (given as Node[]).some(({ name }) => name === 'setImmediate')
}

/** What is awaited in it, functions within apart. */
function awaited(node: Node): Node[] {
  if (/Function/.test(node.type)) return []
  const own = node.type === 'AwaitExpression' ? [node.argument as Node] : []
  return [...own, ...childrenOf(node).flatMap(awaited)]
}

function childrenOf(node: Node): Node[] {
  return Object.values(node)
    .flat()
    .filter((one): one is Node => typeof one === 'object' && one !== null && 'type' in one)
}

function textOf({ value }: Node): string {
  return typeof value === 'string' ? value : String((value as { raw?: string } | null)?.raw ?? '')
}
