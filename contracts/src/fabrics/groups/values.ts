/** Constants of connection groups. */

/** Connections of one group. */
export const GROUP_CONNECTIONS_MAX = 50;
