/** Addresses of numbers over time. */

export const seriesPaths = {
	series: { id: "time_machine.series", method: "GET", path: "/api/time-machine/series/", auth: "bearer" },
} as const;
