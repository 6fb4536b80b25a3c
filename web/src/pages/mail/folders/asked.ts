/** What a member does with a folder. */
export type Asked =
  | { readonly what: 'menu'; readonly folder: string; readonly button: Element }
  /** Within the folder, or with an empty name within none. */
  | { readonly what: 'new' | 'rename' | 'delete'; readonly folder: string }
