/** Backup codes, shown once. The dialog is left only by saying that they are kept. */
import { Download, Printer } from "lucide-react";
import { saveFile } from "../../../platform/save-file.ts";
import { Button } from "../../../ui/button.tsx";
import { CopyButton } from "../../../ui/copy.tsx";
import { Banner } from "../../../ui/page.tsx";
import { ShownOnce } from "../../../ui/shown-once.tsx";

export function BackupCodes({ codes, onSaved }: { codes: readonly string[]; onSaved(): void }) {
	const text = `Backup codes for Weft, ${location.host}\nEach of them works once.\n\n${codes.join("\n")}\n`;
	return (
		<ShownOnce title="Your backup codes" confirmation="I have stored the codes in a safe place" onDone={onSaved}>
			<Banner
				tone="warn"
				title="They are shown only once."
				detail="Without your phone and these codes, only an administrator can restore access."
			/>
			<ul
				aria-label="Backup codes"
				className="mono m-0 grid list-none grid-cols-2 gap-x-6 gap-y-1 rounded-control border border-line bg-sunken p-3 text-base! print:text-[14pt]"
			>
				{codes.map((code) => (
					<li key={code}>{code}</li>
				))}
			</ul>
			<div className="flex flex-wrap gap-2">
				<CopyButton text={text} label="Copy the codes">
					Copy
				</CopyButton>
				<Button icon={Download} onClick={() => saveFile("weft-backup-codes.txt", "text/plain", text)}>
					Save as a file
				</Button>
				<Button icon={Printer} onClick={() => window.print()}>
					Print
				</Button>
			</div>
		</ShownOnce>
	);
}
