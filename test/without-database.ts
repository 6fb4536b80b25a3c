import { relative } from 'node:path'
import { describe } from 'node:test'
import { testFiles } from './test-files.ts'

/** Tests without a database, in one process: most of what a file of them takes is to load the program, which all share. */
for (const file of testFiles().without) describe(relative(process.cwd(), file), async () => void (await import(file)))
