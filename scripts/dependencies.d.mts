/** Version by name of what runs at users. */
export function shippedDependencies(root: string): Map<string, string>;
