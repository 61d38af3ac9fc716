/** A plot of times that grow with the size of the work, both axes logarithmic, as SVG text. */

interface Curve {
	readonly name: string;
	readonly colour: string;
	/** Seconds by size. */
	readonly points: readonly (readonly [size: number, seconds: number])[];
}
interface Plot {
	readonly title: string;
	/** What the sizes are. */
	readonly unit: string;
	readonly curves: readonly Curve[];
}

const [WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT] = [420, 300, 56, 44, 48, 40];
const TEXT = 'font-family="sans-serif" font-size="12" fill="#555"';

/** Plots beside each other. */
export function drawPlots(plots: readonly Plot[]): string {
	const parts = plots.map((plot, index) => `<g transform="translate(${index * WIDTH} 0)">${drawPlot(plot)}</g>`);
	const size = `width="${WIDTH * plots.length}" height="${HEIGHT}"`;
	const title = `<title>${plots.map((plot) => plot.title).join(", ")}</title>`;
	return `<svg xmlns="http://www.w3.org/2000/svg" ${size}>${title}<rect ${size} fill="#fff"/>${parts.join("")}</svg>\n`;
}

/** Powers of ten around the values. */
function findDecades(values: readonly number[]): readonly [number, number] {
	const logs = values.map(Math.log10);
	const [low, high] = [Math.floor(Math.min(...logs) + 1e-9), Math.ceil(Math.max(...logs) - 1e-9)];
	return [low, Math.max(high, low + 1)];
}

function drawPlot({ title, unit, curves }: Plot): string {
	const points = curves.flatMap((curve) => curve.points);
	const [x0, x1] = findDecades(points.map(([size]) => size));
	const [y0, y1] = findDecades(points.map(([, seconds]) => seconds));
	const x = (size: number) => LEFT + ((Math.log10(size) - x0) / (x1 - x0)) * (WIDTH - LEFT - RIGHT);
	const y = (seconds: number) => HEIGHT - BOTTOM - ((Math.log10(seconds) - y0) / (y1 - y0)) * (HEIGHT - BOTTOM - TOP);
	const label = (at: string, text: string, anchor = "middle") =>
		`<text ${at} text-anchor="${anchor}" ${TEXT}>${text}</text>`;
	const lines: string[] = [`<text x="${LEFT}" y="18" font-family="sans-serif" font-size="14">${title}</text>`];
	for (let power = y0; power <= y1; power += 1) {
		const at = y(10 ** power);
		lines.push(`<path d="M${LEFT} ${at}H${WIDTH - RIGHT}" stroke="#ddd"/>`);
		lines.push(label(`x="${LEFT - 6}" y="${at + 4}"`, `${Number((10 ** power).toPrecision(1))} s`, "end"));
	}
	for (let power = x0; power <= x1; power += 1) {
		lines.push(label(`x="${x(10 ** power)}" y="${HEIGHT - BOTTOM + 16}"`, (10 ** power).toLocaleString("en")));
	}
	lines.push(label(`x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 8}"`, unit));
	for (const [index, { name, colour, points }] of curves.entries()) {
		const path = points.map(([size, seconds]) => `${x(size).toFixed(1)} ${y(seconds).toFixed(1)}`).join("L");
		lines.push(`<path d="M${path}" fill="none" stroke="${colour}" stroke-width="2"/>`);
		const left = LEFT + index * 130;
		lines.push(`<path d="M${left} 34h18" stroke="${colour}" stroke-width="2"/>`);
		lines.push(label(`x="${left + 24}" y="38"`, name, "start"));
	}
	return lines.join("");
}
