/** Groups that are there from the start and are shown by another name than their own. */
const SHOWN: Readonly<Record<string, string>> = { Editor: "Author", Users: "Everyone" };

/** The name by which a group or a role is shown. */
export const showGroupName = (name: string): string => SHOWN[name] ?? name;
