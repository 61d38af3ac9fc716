/** Published whenever a run of a group execution has changed. */
export const groupTopic = (id: string): string => `group-execution:${id}`;
