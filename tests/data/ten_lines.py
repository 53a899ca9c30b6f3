"""For every data set that is downloaded: raw files of about ten lines, and what they hold.

The files have the form of the real ones, quirks included; their values are made up. Whoever adds a
data set adds its ten lines to `EXAMPLES`.
"""

from __future__ import annotations

import io
from dataclasses import dataclass, replace

import numpy as np
import r_files as r
from scipy.io import savemat

NAN = float("nan")
#: R's own missing number: a NaN that carries 1954.
NA = np.frombuffer(bytes.fromhex("7ff00000000007a2"), ">f8")[0]


@dataclass(frozen=True)
class Example:
    """Raw files by name, and the table, by hand, that the data set's reader has to find."""

    files: dict[str, str | bytes]
    X: list[list[float]] | np.ndarray
    labels: list[str]
    names: list[str]
    fold: list[str] | None = None
    group: list[str] | None = None
    essential: list[int] | None = None

    def raw_files(self) -> dict[str, bytes]:
        return {
            name: content.encode("latin-1") if isinstance(content, str) else content
            for name, content in self.files.items()
        }


def matlab(**arrays) -> bytes:
    buffer = io.BytesIO()
    savemat(buffer, arrays, do_compression=True)
    return buffer.getvalue()


# --- separated values --------------------------------------------------------------------

#: No header, the class last.
IONOSPHERE = Example(
    {"ionosphere.data": "1,0,0.99539,-0.05889,g\n1,0,1,-0.18829,b\n0,0,-1,.5,g\n"},
    X=[[1, 0, 0.99539, -0.05889], [1, 0, 1, -0.18829], [0, 0, -1, 0.5]],
    labels=["g", "b", "g"],
    names=["f1", "f2", "f3", "f4"],
)
SONAR = Example(
    {"sonar.all-data": "0.0200,0.0371,R\n0.0453,0.0523,M\n"},
    X=[[0.02, 0.0371], [0.0453, 0.0523]],
    labels=["R", "M"],
    names=["f1", "f2"],
)
#: Lines end in CR LF.
SPAMBASE = Example(
    {"spambase.data": "0,0.64,278,1\r\n0.21,0,1028,0\r\n"},
    X=[[0, 0.64, 278], [0.21, 0, 1028]],
    labels=["1", "0"],
    names=["f1", "f2", "f3"],
)
#: Minus zero, and more decimals than the values need.
WAVEFORM = Example(
    {"waveform.data": "-1.23,-0.00,2\n0.60,4.20,1\n2.00,0.10,0\n"},
    X=[[-1.23, -0.0], [0.6, 4.2], [2, 0.1]],
    labels=["2", "1", "0"],
    names=["x1", "x2"],
)
OPTDIGITS = Example(
    {"optdigits.tra": "0,1,16,7\n5,0,12,0\n"},
    X=[[0, 1, 16], [5, 0, 12]],
    labels=["7", "0"],
    names=["pixel1", "pixel2", "pixel3"],
)
#: A question mark where a value is missing.
ARRHYTHMIA = Example(
    {"arrhythmia.data": "75,0,?,1\n56,1,-0.5,10\n54,?,2,16\n"},
    X=[[75, 0, NAN], [56, 1, -0.5], [54, NAN, 2]],
    labels=["1", "10", "16"],
    names=["f1", "f2", "f3"],
)
#: An empty first line in some copies; two identifiers in front; labels with a dot.
MUSK1 = Example(
    {
        "clean1.data": "\nMUSK-188,188_1+1,42,-198,1.\nMUSK-188,188_1+2,41,7,1.\n"
        "NON-MUSK-j129,j129_1+1,-3,0,0.\n"
    },
    X=[[42, -198], [41, 7], [-3, 0]],
    labels=["1", "1", "0"],
    names=["f1", "f2"],
    group=["MUSK-188", "MUSK-188", "NON-MUSK-j129"],
)
#: CR LF, names above, the class in the eighteenth column, the subject inside the first.
PARKINSONS = Example(
    {
        "parkinsons.data": "name,MDVP:Fo(Hz),b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,status,spread1\r\n"
        "phon_R01_S01_1,119.992,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,1,-4.813031\r\n"
        "phon_R01_S01_2,122.4,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,1,-4.075192\r\n"
        "phon_R01_S10_1,0.00007,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,0,1\r\n"
    },
    X=[
        [119.992, *range(2, 17), -4.813031],
        [122.4, *range(2, 17), -4.075192],
        [0.00007, *range(2, 17), 1],
    ],
    labels=["1", "1", "0"],
    names=["MDVP:Fo(Hz)", *"bcdefghijklmnop", "spread1"],
    group=["phon_R01_S01", "phon_R01_S01", "phon_R01_S10"],
)
#: Names above, file name and length in front; only five of the ten genres are wanted.
GTZAN = Example(
    {
        "features_30_sec.csv": "filename,length,chroma_stft_mean,tempo,label\n"
        "blues.00000.wav,661794,0.35008811950683594,123.046875,blues\n"
        "pop.00001.wav,661504,0.5,99.38401442307692,pop\n"
        "jazz.00002.wav,661794,-1e-05,80,jazz\n"
    },
    X=[[0.5, 99.38401442307692], [-0.00001, 80]],
    labels=["pop", "jazz"],
    names=["chroma_stft_mean", "tempo"],
)
PREAMBLE = (
    ";;; -*- Mode:Common-Lisp; Base:10 -*-\n;;; *-* Last-edit: 11/21/90 by somebody; *-* \n\n"
    "REGION-CENTROID-COL,REGION-PIXEL-COUNT,HUE-MEAN\n\n"
)
#: Five lines in front, among them the names of the features alone; the class comes first.
SEGMENTATION = Example(
    {
        "segmentation.data": PREAMBLE + "BRICKFACE,140.0,9,-1.1218182\nSKY,188.0,9,2.0\n",
        "segmentation.test": PREAMBLE + "PATH,32.0,9,-2.28\n",
    },
    X=[[140, 9, -1.1218182], [188, 9, 2], [32, 9, -2.28]],
    labels=["BRICKFACE", "SKY", "PATH"],
    names=["REGION-CENTROID-COL", "REGION-PIXEL-COUNT", "HUE-MEAN"],
    fold=["train", "train", "test"],
)
#: Training and independent samples in files of their own.
LEUKEMIA = Example(
    {
        "ALL-AML_train.data": "-214,-153,ALL\n-139,15091,AML\n",
        "ALL-AML_test.data": "-342,-200,ALL\n",
    },
    X=[[-214, -153], [-139, 15091], [-342, -200]],
    labels=["ALL", "AML", "ALL"],
    names=["gene1", "gene2"],
    fold=["train", "train", "test"],
)
LEUKEMIA_TRAIN = Example(
    {"ALL-AML_train.data": LEUKEMIA.files["ALL-AML_train.data"]},
    X=[[-214, -153], [-139, 15091]],
    labels=["ALL", "AML"],
    names=["gene1", "gene2"],
)

# --- labels in a file of their own; a blank after the last value -------------------------

MADELON = Example(
    {
        "madelon_train.data": "485 477 537 \n483 458 460 \n",
        "madelon_train.labels": "-1\n1\n",
    },
    X=[[485, 477, 537], [483, 458, 460]],
    labels=["-1", "1"],
    names=["f1", "f2", "f3"],
)
GISETTE = Example(
    {"gisette_valid.data": "0 991 \n550 0 \n0 0 \n", "gisette_valid.labels": "1\n-1\n-1\n"},
    X=[[0, 991], [550, 0], [0, 0]],
    labels=["1", "-1", "-1"],
    names=["f1", "f2"],
)
REGED = Example(
    {"reged0_train.data": "206 495 \n516 0 \n", "reged0_train.targets": "-1\n1\n"},
    X=[[206, 495], [516, 0]],
    labels=["-1", "1"],
    names=["f1", "f2"],
)

# --- ARFF --------------------------------------------------------------------------------

#: As OpenML writes it: keywords in capitals.
GINA = Example(
    {
        "gina_agnostic.arff": "% from OpenML\n@RELATION gina_agnostic\n\n@ATTRIBUTE attr0 REAL\n"
        "@ATTRIBUTE attr1 REAL\n@ATTRIBUTE label {-1,1}\n\n@DATA\n0,254,-1\n12.5,0,1\n"
    },
    X=[[0, 254], [12.5, 0]],
    labels=["-1", "1"],
    names=["attr0", "attr1"],
)
#: A relation in quotes, two blanks before a type in one of the files, classes to be renamed.
PROSTATE = Example(
    {
        "prostate_tumorVSNormal_train.arff": "@relation 'changed by somebody' \n\n"
        "@attribute AFFX-MurIL2_at  numeric\n@attribute 109_at  numeric\n"
        "@attribute Class {Tumor,Normal}\n\n@data\n-9.0,1.0,Tumor\n-2,17530,Normal\n",
        "prostate_tumorVSNormal_test.arff": "@relation 'changed by somebody' \n\n"
        "@attribute AFFX-MurIL2_at numeric\n@attribute 109_at numeric\n"
        "@attribute Class {Tumor,Normal}\n\n@data\n38660.0,-5536.0,Tumor\n",
    },
    X=[[-9, 1], [-2, 17530], [38660, -5536]],
    labels=["tumor", "normal", "tumor"],
    names=["AFFX-MurIL2_at", "109_at"],
    fold=["train", "train", "test"],
)

# --- digits ------------------------------------------------------------------------------

#: Six files side by side, padded to a fixed width, without labels: 200 rows of each digit in turn.
MFEAT = Example(
    {
        "mfeat-fac": "   98  236\n" * 200 + "    7   12\n",
        "mfeat-fou": "   0.06588173\n" * 200 + "   0.05000000\n",
        "mfeat-kar": " -11.47456241\n" * 201,
        "mfeat-mor": "     1.00000000  1620.22177892\n" * 201,
        "mfeat-pix": " 0 6\n" * 201,
        "mfeat-zer": "   0.01155801\n" * 201,
    },
    X=np.array(
        [[98, 236, 0.06588173, -11.47456241, 1, 1620.22177892, 0, 6, 0.01155801]] * 200
        + [[7, 12, 0.05, -11.47456241, 1, 1620.22177892, 0, 6, 0.01155801]]
    ),
    labels=["0"] * 200 + ["1"],
    names=["fac_1", "fac_2", "fou_1", "kar_1", "mor_1", "mor_2", "pix_1", "pix_2", "zer_1"],
)

# --- gene expression ---------------------------------------------------------------------

#: An R list; 1 is normal, 2 tumour; gene names repeat.
COLON = Example(
    {
        "Colon.rda": r.workspace(
            Colon=r.named_list(
                {
                    "X": r.numeric(
                        [[8589.4163, 5468.25, 0.5], [9164.2537, -6719.5, 28.75]],
                        dimnames=r.dimnames(["1", "2"], ["1", "2", "3"]),
                    ),
                    "Y": r.numeric([2, 1]),
                    "gene.names": r.strings(["Hsa.3004", "Hsa.13491", "Hsa.13491"]),
                }
            )
        )
    },
    X=[[8589.4163, 5468.25, 0.5], [9164.2537, -6719.5, 28.75]],
    labels=["tumor", "normal"],
    names=["Hsa.3004", "Hsa.13491", "Hsa.13491"],
)
#: Genes × samples of an R matrix with the class (1 ADCA, 2 MPM) below; 32 samples are for training.
LUNG_SAMPLES = np.arange(34.0)
LUNG = Example(
    {
        "lung.rda": r.workspace(
            lung=r.numeric(
                [LUNG_SAMPLES + 0.5, -10 * LUNG_SAMPLES, [2] * 16 + [1] * 18],
                dimnames=r.dimnames(
                    ["gene 1", "gene 2", "class"], [f"sample {i}" for i in range(1, 35)]
                ),
            )
        )
    },
    X=np.column_stack([LUNG_SAMPLES + 0.5, -10 * LUNG_SAMPLES]),
    labels=["MPM"] * 16 + ["ADCA"] * 18,
    names=["gene1", "gene2"],
    fold=["train"] * 32 + ["test"] * 2,
)
#: Genes × samples, padded, 999 where missing; the classes in a MATLAB file beside another table.
LYMPHOMA = Example(
    {
        "lymphoma.mat": matlab(X=np.zeros((4, 2), "int16"), Y=np.array([[1], [9], [2], [1]], "u1")),
        "lymphoma.matrix": "  46   2 999  -51\n -126  44   5 999\n",
    },
    X=[[46, -126], [2, 44], [NAN, 5], [-51, NAN]],
    labels=["1", "9", "2", "1"],
    names=["gene1", "gene2"],
)
#: Three lines of names, clones × samples below; a title in quotes; one sample marked as methylated.
HEDENFALK = Example(
    {
        "nejm_brca_release.txt": "NEJM-PatientID\t\t\t1\t10\t20\t6\n"
        "Mutation\t\t\tBRCA1\tBRCA2\tSporadic/Meth.BRCA1\tSporadic\n"
        "PlatePosition\tImageCloneID\tTitle\ts1996\ts1822\ts1321\ts1905\n"
        'HK1A1\t21652\t"catenin, alpha 1 (102kD)"\t0.15\t1.22\t5530.69\t.3\n'
        "HK1A2\t22012\tribosomal protein L26\t1.54\t0.01\t2\t0.76\n"
    },
    X=[[0.15, 1.54], [1.22, 0.01], [5530.69, 2], [0.3, 0.76]],
    labels=["BRCA1", "BRCA2", "sporadic", "sporadic"],
    names=["HK1A1_21652", "HK1A2_22012"],
)
#: Bioconductor's ExpressionSet (genes × samples in an environment) and rows of text, where 100 is
#: missing; the second gene was never measured.
VANTVEER = Example(
    {
        "VEER.RData": r.workspace(
            VEER=r.s4(
                "ExpressionSet",
                assayData=r.environment(
                    exprs=r.numeric(
                        [[-0.5, 0.25], [NA, NA], [NA, 1.5]],
                        dimnames=r.dimnames(
                            ["Contig45645_RC", "NM_003000", "NM_000125"], ["X1", "X75"]
                        ),
                    )
                ),
                phenoData=r.s4(
                    "AnnotatedDataFrame",
                    data=r.data_frame(
                        ["X1", "X75"],
                        **{
                            "info": r.factor(["Sample.1", "Sample.75"]),
                            "class": r.factor(["NODM", "DM"]),
                        },
                    ),
                ),
            )
        ),
        "breastCancer-test.data": "-0.068,100.0,0.12,relapse\n100,100,0.3,non-relapse\n",
    },
    X=[[-0.5, NAN, NAN], [0.25, NAN, 1.5], [-0.068, NAN, 0.12], [NAN, NAN, 0.3]],
    labels=["non-relapse", "relapse", "relapse", "non-relapse"],
    names=["Contig45645_RC", "NM_003000", "NM_000125"],
    fold=["train", "train", "test", "test"],
)
#: MATLAB; 1 classic and 3 non-classic oligodendroglioma, 4 and 2 the same of glioblastoma.
GLIOMA = Example(
    {
        "Brain_Tumor_2.mat": matlab(
            X=np.array([[75.5, 6.3], [4.25, 89.2], [1, 2], [-3, 0.5]]),
            Y=np.array([[4], [3], [2], [1]], "u1"),
        )
    },
    X=[[75.5, 6.3], [4.25, 89.2], [1, 2], [-3, 0.5]],
    labels=["GBM", "AO", "GBM", "AO"],
    names=["gene1", "gene2"],
    fold=["train", "test", "test", "train"],
)

# --- the causality workbench -------------------------------------------------------------

LUCAS_NAMES = [
    "Smoking", "Yellow_Fingers", "Anxiety", "Peer_Pressure", "Genetics", "Attention_Disorder",
    "Born_an_Even_Day", "Car_Accident", "Fatigue", "Allergy", "Coughing",
]  # fmt: skip
#: Spanish headers, the target last.
LUCAS = Example(
    {
        "lucas.csv": "Fumar,Dedos_Amarillos,Ansiedad,Presion_Grupo,Genetica,Deficit_Atencion,"
        "Nacido_Dia_Par,Accidente_Coche,Fatiga,Alergia,Toser,Cancer_Pulmon\n"
        "0,0,1,0,0,1,0,1,0,1,0,0\n1,1,0,1,0,0,1,1,1,0,0,1\n"
    },
    X=[[0, 0, 1, 0, 0, 1, 0, 1, 0, 1, 0], [1, 1, 0, 1, 0, 0, 1, 1, 1, 0, 0]],
    labels=["0", "1"],
    names=LUCAS_NAMES,
    essential=[0, 4, 10, 8, 9],
)
#: The eleven among 143 columns, the first of them in the last; the others are probes, here 0.
LUCAP_COLUMNS = dict(zip(LUCAS_NAMES, (143, 5, 142, 32, 26, 110, 16, 46, 6, 4, 85), strict=True))


def among_probes(row: list[int]) -> list[int]:
    value_at = dict(zip(LUCAP_COLUMNS.values(), row, strict=True))
    return [value_at.get(column, 0) for column in range(1, 144)]


LUCAP_X = [among_probes(row) for row in LUCAS.X]
LUCAP_NAME_AT = {column: name for name, column in LUCAP_COLUMNS.items()}
LUCAP = Example(
    {
        "lucap0_train.data": "".join(" ".join(map(str, row)) + " \n" for row in LUCAP_X),
        **LUCAS.files,
    },
    X=LUCAP_X,
    labels=["0", "1"],
    names=[LUCAP_NAME_AT.get(column, f"probe{column:03d}") for column in range(1, 144)],
)
#: MATLAB whole numbers; the last column is the class, 2 for -1.
MARTI = Example(
    {"marti1.mat": matlab(marti1=np.array([[25451, 33517, 2], [-4, 0, 1]], "int32"))},
    X=[[25451, 33517], [-4, 0]],
    labels=["-1", "1"],
    names=["f1", "f2"],
)

# --- text --------------------------------------------------------------------------------

#: SGML that is no XML: control entities, a bare ">", brief documents without a body. A term must
#: occur three times; "rises" and "rising" are one stem.
REUTERS = Example(
    {
        "reuters21578.sgm": '<!DOCTYPE lewis SYSTEM "lewis.dtd">\n'
        '<REUTERS TOPICS="YES" LEWISSPLIT="TRAIN" CGISPLIT="TRAINING-SET" NEWID="1">\n'
        "<TOPICS><D>cocoa</D></TOPICS><PLACES></PLACES><TEXT>&#2;\n"
        "<TITLE>COCOA &lt;RISES></TITLE><DATELINE> BAHIA, March 3 - </DATELINE><BODY>Cocoa rose;\n"
        "the 2nd cocoa price rises. Reuter &#3;</BODY></TEXT></REUTERS>\n"
        '<REUTERS TOPICS="YES" LEWISSPLIT="TEST" NEWID="2"><TOPICS><D>tin</D></TOPICS>\n'
        '<TEXT TYPE="BRIEF">&#2;<TITLE>Tin\'s price: rising price</TITLE></TEXT></REUTERS>\n'
        '<REUTERS TOPICS="YES" LEWISSPLIT="NOT-USED" NEWID="3"><TOPICS><D>tin</D></TOPICS>\n'
        "<TEXT><BODY>cocoa price rises</BODY></TEXT></REUTERS>\n"
    },
    X=[[3, 1, 2], [0, 2, 1]],
    labels=["cocoa", "tin"],
    names=["cocoa", "price", "rise"],
    fold=["train", "test"],
)

EXAMPLES = {
    "arrhythmia": ARRHYTHMIA,
    "arrhythmia_binary": replace(ARRHYTHMIA, labels=["normal", "abnormal", "abnormal"]),
    "colon": COLON,
    "gina": GINA,
    "gisette": GISETTE,
    "glioma": GLIOMA,
    "gtzan": GTZAN,
    "hedenfalk": HEDENFALK,
    "hedenfalk_brca1": replace(HEDENFALK, labels=["BRCA1", "rest", "rest", "rest"]),
    "hedenfalk_brca2": replace(HEDENFALK, labels=["rest", "BRCA2", "rest", "rest"]),
    "hedenfalk_sporadic": replace(HEDENFALK, labels=["rest", "rest", "sporadic", "sporadic"]),
    "ionosphere": IONOSPHERE,
    "leukemia": LEUKEMIA,
    "leukemia_train": LEUKEMIA_TRAIN,
    "lucap": LUCAP,
    "lucas": LUCAS,
    "lung": LUNG,
    "lung_train": replace(LUNG, X=LUNG.X[:32], labels=LUNG.labels[:32], fold=None),
    "lymphoma": LYMPHOMA,
    # The third and the fourth sample are malignant, the first two are not.
    "lymphoma_malignant": replace(LYMPHOMA, labels=["other", "other", "malignant", "malignant"]),
    "madelon": MADELON,
    "marti": MARTI,
    "mfeat": MFEAT,
    "musk1": MUSK1,
    "optdigits": OPTDIGITS,
    "parkinsons": PARKINSONS,
    "prostate": PROSTATE,
    "reged": REGED,
    "reuters21578": REUTERS,
    "segmentation": SEGMENTATION,
    "sonar": SONAR,
    "spambase": SPAMBASE,
    "vantveer": VANTVEER,
    "vantveer_measured": replace(
        VANTVEER,
        X=[[-0.5, NAN], [0.25, 1.5], [-0.068, 0.12], [NAN, 0.3]],
        names=["Contig45645_RC", "NM_000125"],
    ),
    "waveform": WAVEFORM,
}
