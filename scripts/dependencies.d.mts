/** Version by name of what runs at users. */
export function listShippedDependencies(root: string): Map<string, string>;
