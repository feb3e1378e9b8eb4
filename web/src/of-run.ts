// The properties of a view. revision: changes with every analysis of the run.
import type { RunDocument } from './openapi';

export interface OfRun {
  id: string;
  base: string;
  run: RunDocument;
  revision: string;
  at: string[]; // the parts of the address after the view's name
}
