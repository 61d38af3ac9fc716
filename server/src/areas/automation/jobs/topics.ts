/** The topics that wake the sockets of requests and executions. */
export const requestTopic = (id: string): string => `automation:request:${id}`;
export const getExecutionTopic = (id: string): string => `automation:execution:${id}`;
