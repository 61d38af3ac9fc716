/** Saves all rows of a result as a file, in one of three formats. */
import { Download } from "lucide-react";
import { fetchWithRetryAfter } from "../platform/fetch-with-retry.ts";
import { saveFile } from "../platform/save-file.ts";
import { Button } from "./button.tsx";
import { Menu } from "./menu.tsx";
import { showToast } from "./toast.tsx";

type Format = "csv" | "json" | "ndjson";

interface DownloadMenuProps {
	readonly label: string;
	/** Of the file, without its ending. */
	readonly name: string;
	request(format: Format): Promise<{ readonly url: string; readonly headers: Record<string, string> }>;
}

export function DownloadMenu({ label, name, request }: DownloadMenuProps) {
	const download = async (format: Format) => {
		const { url, headers } = await request(format);
		const answer = await fetchWithRetryAfter(url, { headers });
		if (!answer.ok) return showToast(`The service answered ${answer.status}`);
		const file = `${name.replace(/[^\w.-]+/g, "-")}.${format}`;
		saveFile(file, answer.headers.get("content-type") ?? "text/plain", await answer.text());
		if (answer.headers.has("x-weft-partial")) showToast("The file is partial, and says so in its first line");
	};
	return (
		<Menu
			trigger={<Button icon={Download}>{label}</Button>}
			groups={[
				[
					{ label: "As CSV", run: () => void download("csv") },
					{ label: "As JSON", run: () => void download("json") },
					{ label: "As NDJSON", run: () => void download("ndjson") },
				],
			]}
		/>
	);
}
