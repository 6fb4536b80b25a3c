// `node bin/node.js …` is `node …` with a Node that runs TypeScript, whatever the version of the first.
import { becomeNode } from './launcher.js'

await becomeNode(process.argv.slice(2))
