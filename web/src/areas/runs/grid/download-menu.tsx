/** Saves all rows of a result as a file. */
import { Download } from "lucide-react";
import { useState } from "react";
import { UserError } from "../../../platform/failures.ts";
import { fetchWithRetryAfter } from "../../../platform/fetch-with-retry.ts";
import { formatPlural } from "../../../platform/format.ts";
import { saveFile } from "../../../platform/save-file.ts";
import { saveWorkbook } from "../../../platform/workbook.ts";
import { Button } from "../../../ui/button.tsx";
import { Menu } from "../../../ui/menu.tsx";
import { showProblem, showToast } from "../../../ui/toast.tsx";
import { startGridWorker } from "./grid-worker.ts";

type Format = "csv" | "json" | "ndjson";

interface DownloadMenuProps {
	readonly label: string;
	/** Of the file, without its ending. */
	readonly name: string;
	request(format: Format): Promise<{ readonly url: string; readonly headers: Record<string, string> }>;
}

export function DownloadMenu({ label, name, request }: DownloadMenuProps) {
	/** Rows read for the workbook that is being made; null: none is. */
	const [read, setRead] = useState<number | null>(null);

	const saveAs = async (format: Format) => {
		const { url, headers } = await request(format);
		const answer = await fetchWithRetryAfter(url, { headers });
		if (!answer.ok) throw new UserError(`The service answered ${answer.status}.`);
		saveFile(`${name}.${format}`, answer.headers.get("content-type") ?? "text/plain", await answer.blob());
		if (answer.headers.has("x-weft-partial")) showToast("The file is partial, and says so in its first line");
	};

	const saveAsExcel = async () => {
		setRead(0);
		const failed = Promise.withResolvers<never>();
		const worker = startGridWorker((rows) => setRead(rows), failed.reject);
		const make = async () => {
			const { columns } = await worker.ask({ kind: "load", ...(await request("ndjson")) }, "loaded");
			return worker.ask({ kind: "workbook", keys: columns.map(({ key }) => key), at: null }, "workbook");
		};
		try {
			const { bytes } = await Promise.race([make(), failed.promise]);
			saveWorkbook(name, bytes);
		} finally {
			worker.end();
			setRead(null);
		}
	};

	const start = (saved: Promise<void>) => void saved.catch((error: unknown) => showProblem(error));
	return (
		<Menu
			trigger={
				<Button icon={Download} busy={read !== null}>
					{read === null || read === 0 ? label : `${label}: ${formatPlural(read, "row")} read`}
				</Button>
			}
			groups={[
				[
					{ label: "As Excel", run: () => start(saveAsExcel()) },
					{ label: "As CSV", run: () => start(saveAs("csv")) },
					{ label: "As JSON", run: () => start(saveAs("json")) },
					{ label: "As NDJSON", run: () => start(saveAs("ndjson")) },
				],
			]}
		/>
	);
}
