export function hashSources(root: string, places: readonly string[]): string;
