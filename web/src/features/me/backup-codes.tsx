/** Backup codes, shown once. The dialog is left only by saying that they are kept. */
import { Download, Printer } from "lucide-react";
import { useState } from "react";
import { saveFile } from "../../platform/save-file.ts";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { CheckField } from "../../ui/field.tsx";
import { Banner } from "../../ui/page.tsx";

export function BackupCodes({ codes, onSaved }: { codes: readonly string[]; onSaved(): void }) {
	const [kept, setKept] = useState(false);
	const text = `Backup codes for Weft, ${location.host}\nEach of them works once.\n\n${codes.join("\n")}\n`;
	return (
		<Dialog
			open
			title="Your backup codes"
			dismissible={false}
			onClose={onSaved}
			actions={
				<Button variant="primary" disabled={!kept} onClick={onSaved}>
					Done
				</Button>
			}
		>
			<div className="flex flex-col gap-3">
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
				<CheckField
					label="I have stored the codes in a safe place"
					checked={kept}
					onChange={(event) => setKept(event.target.checked)}
				/>
			</div>
		</Dialog>
	);
}
