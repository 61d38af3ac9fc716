import { CopyButton } from "./copy.tsx";

/** A request with each option on a line of its own. */
export function RequestText({ path }: { path: string }) {
	const [place = "", options] = path.split(/\?(.*)/s);
	const lines = (options ?? "").split("&").filter((option) => option !== "");
	return (
		<div className="relative rounded-control border border-line bg-sunken">
			<span className="absolute top-0.5 right-0.5">
				<CopyButton text={path} label="Copy the request" />
			</span>
			<pre
				className="mono m-0 overflow-x-auto whitespace-pre-wrap break-all p-2 pr-7 text-2xs!"
				// biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
				tabIndex={0}
			>
				{`GET ${place}`}
				{lines.map((line, index) => `\n  ${index === 0 ? "?" : "&"}${decodeOption(line)}`)}
			</pre>
		</div>
	);
}

/** As a person writes it; what cannot be read stays as it is sent. */
function decodeOption(option: string): string {
	try {
		return decodeURIComponent(option);
	} catch {
		return option;
	}
}
