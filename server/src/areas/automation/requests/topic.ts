/** The topic that wakes the sockets of a request. */
export const requestTopic = (id: string): string => `automation:request:${id}`;
