/** The topic that wakes the sockets of an execution. */
export const executionTopic = (id: string): string => `automation:execution:${id}`;
