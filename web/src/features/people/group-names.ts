/** Names of groups as people read them. The stored names and ids stay. */

const LABELS: Readonly<Record<string, string>> = { Editor: "Author", Users: "Own work" };

/** The displayed name of a group or of a role template, by its stored name. */
export const labelGroup = (name: string): string => LABELS[name] ?? name;
