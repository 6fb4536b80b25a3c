import { execFile } from 'node:child_process'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

const root = join(import.meta.dirname, '..')

/** Generates the client of the API if the service has changed since, with the Node that runs TypeScript. */
const client: Plugin = {
  name: 'client',
  async buildStart() {
    await promisify(execFile)(process.execPath, ['bin/node.js', 'src/app/web/client.ts'], { cwd: root })
  },
}

/** Lists the files of the service that the web app has read, all ways of importing them followed. A build is outdated once one of
 *  them has changed (`src/app/web/build.ts`). */
const filesOfService: Plugin = {
  name: 'files-of-service',
  generateBundle() {
    const files = [...this.getModuleIds()].map((id) => relative(root, id))
    const ofService = files.filter((file) => file.startsWith('src/')).sort()
    this.emitFile({ type: 'asset', fileName: '.of-service.json', source: JSON.stringify(ofService) })
  },
}

/** Scripts that run before the app, each in a task of its own: in one task with it they hold the page for a fifth of a second on a
 *  slow processor. */
const early = ['languages', 'react'].map((name) => `src/early/${name}.ts`)

/** What every page does actions and changes with, in one file with all that it needs: many small ones are larger together, since each is
 *  compressed by itself. */
const ofEveryPage = /web\/src\/(?:parts\/actions|app\/query-client)/

const earlyScripts: Plugin = {
  name: 'early-scripts',
  transformIndexHtml: {
    order: 'post',
    handler(_, { bundle = {} }) {
      const chunks = Object.values(bundle).filter((file) => file.type === 'chunk')
      const found = early.flatMap((path) => chunks.filter(({ facadeModuleId }) => facadeModuleId?.endsWith(path)))
      return found.map(({ fileName }) => ({
        tag: 'script',
        attrs: { type: 'module', crossorigin: true, src: `/${fileName}` },
        injectTo: 'head-prepend',
      }))
    },
  },
}

export default defineConfig({
  plugins: [client, react(), earlyScripts, filesOfService],
  build: {
    target: 'es2023',
    // The content security policy allows neither inline scripts nor data: URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      input: ['index.html', ...early],
      output: { codeSplitting: { groups: [{ name: 'frame', test: ofEveryPage }] } },
    },
  },
  // `npm run dev -w web`: pages from the sources, with the API of a service that runs.
  server: { proxy: { '/v1': 'http://127.0.0.1:8080', '/docs': 'http://127.0.0.1:8080' } },
})
