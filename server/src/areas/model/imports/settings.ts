/** What can be imported into the class model. */
import type { SourceVersion } from "../../../integrations/class-documents/port.ts";

export interface RegistrySettings {
	/** What can be imported, in the order in which it is shown. */
	readonly versions: readonly SourceVersion[];
	/** A folder of documents that takes the place of the publishing site; null: none. */
	readonly folder: string | null;
	readonly concurrency: number;
}
