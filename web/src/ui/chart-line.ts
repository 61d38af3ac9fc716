/** A line of a chart: numbers over time. */
export interface ChartLine {
	readonly name: string;
	/** ISO time and number, oldest first. */
	readonly points: readonly (readonly [string, number])[];
	/** ISO times at which the line is interrupted. */
	readonly breaks?: readonly string[];
}
