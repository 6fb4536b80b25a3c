/** A page's text without its blocks of code. */
export function prose(page: string): string {
  return page.replace(/^( *)```[\s\S]*?^\1```$/gm, '')
}

/** The targets of a page's relative links. */
export function linksIn(page: string): string[] {
  const targets = prose(page).matchAll(/\]\(([^)\s]+)\)/g)
  return [...targets].map(([, target = '']) => target).filter((target) => !/^[a-z]+:/.test(target))
}

/** The anchors of a page's headings, as GitHub names them. */
export function anchorsIn(page: string): Set<string> {
  const headings = prose(page).matchAll(/^#+ (.*)$/gm)
  return new Set(
    [...headings].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}_\- ]/gu, '')
        .replaceAll(' ', '-'),
    ),
  )
}

/** The pages of docs/ that a text cites by their paths. */
export function citedIn(text: string): string[] {
  return [...text.matchAll(/(?<![\w/.])docs\/[\w/-]+\.md(?:#[\w-]+)?/g)].map(([path]) => path)
}

/** The files and folders of the repository that a page names in code, such as `src/app/main.ts`; patterns apart. */
export function pathsIn(page: string): string[] {
  const named = prose(page).matchAll(/`((?:src|web\/src|test|bench|deploy|bin)\/[\w./@-]*)`/g)
  return [...named].map(([, path = '']) => path)
}
