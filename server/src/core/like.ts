/** A LIKE pattern for a substring; escapes the wildcards in the term. */
export const buildContainsPattern = (term: string): string => `%${term.replace(/[\\%_]/g, "\\$&")}%`;
