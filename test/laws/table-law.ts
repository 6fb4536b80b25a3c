/** A write of a table in a source file, by its path below src; `table` is undefined where its name is made at run time. */
export interface Write {
  readonly path: string
  readonly table: string | undefined
}

/** A folder that writes a table of another one, and why. */
export interface Exception {
  readonly table: string
  readonly folder: string
  readonly because: string
}

const name = String.raw`(?:"?(\w+)"?|\$\{[^}]*\})`
/** How kysely writes, how leases do, and how SQL does. `for update` and `do update set` name no table. */
const forms = [
  /\.(?:insertInto|replaceInto|updateTable|deleteFrom|mergeInto)\(\s*(?:'(\w+)(?: as \w+)?'|[^'\s])/g,
  /\bnew Leases\(\s*(?:'(\w+)'|[^'\s])/g,
  new RegExp(String.raw`\b(?:insert|merge)\s+into\s+${name}`, 'gi'),
  new RegExp(String.raw`\bdelete\s+from\s+(?:only\s+)?${name}`, 'gi'),
  new RegExp(String.raw`\btruncate\s+(?:table\s+)?${name}`, 'gi'),
  new RegExp(String.raw`\bupdate\s+(?!set\b)(?:only\s+)?${name}(?:\s+(?:as\s+)?(?!set\b)\w+)?\s+set\b`, 'gi'),
]

/** What a file's text writes, comments apart. */
export function writesOf(path: string, text: string): Write[] {
  const code = text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
  return forms.flatMap((form) => [...code.matchAll(form)].map(([, table]) => ({ path, table })))
}

/** Breaches of the law that one folder writes a table, each as a sentence, and unused declarations. */
export function tableBreaches(
  writes: readonly Write[],
  writers: Readonly<Record<string, string>>,
  exceptions: readonly Exception[],
  /** Files that write whatever table they are told. */
  copiers: readonly string[] = [],
): string[] {
  const isExcepted = ({ path, table }: Write) =>
    table === undefined
      ? copiers.includes(path)
      : exceptions.some((one) => one.table === table && isIn(path, one.folder))
  const found = writes.filter((write) => !isExcepted(write)).flatMap((write) => breach(write, writers) ?? [])
  const written = (table: string, folder: string) =>
    writes.some((write) => write.table === table && isIn(write.path, folder))
  const inVain = Object.entries(writers).flatMap(([table, folder]) =>
    written(table, folder) ? [] : [`${folder} does not write ${table}, though it is declared to`],
  )
  const idle = exceptions.flatMap(({ table, folder }) =>
    written(table, folder) ? [] : [`${folder} does not write ${table}: its exception can go`],
  )
  return [...new Set([...found, ...inVain, ...idle])]
}

function breach({ path, table }: Write, writers: Readonly<Record<string, string>>): string | undefined {
  if (table === undefined) return `${path} writes a table whose name is made at run time`
  const folder = writers[table]
  if (folder === undefined) return `${path} writes ${table}, which no folder is declared to write`
  return isIn(path, folder) ? undefined : `${path} writes ${table}, which ${folder} writes`
}

function isIn(path: string, folder: string): boolean {
  return path.startsWith(`${folder}/`)
}
